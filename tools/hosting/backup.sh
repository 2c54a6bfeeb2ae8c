#!/bin/sh
# Back up and restore the PostgreSQL database of docker-compose.yml (docs/deploy.md, "Backup and restore").
#
#   backup.sh every-day      back up at BACKUP_AT (UTC), and at once if there is no backup from the last 24 hours
#   backup.sh now            back up now
#   backup.sh restore FILE   replace the database by a backup; the old one is kept beside it
#
# PGHOST, PGUSER, PGDATABASE and the like say where the database is, as for psql.
set -eu
umask 077

folder=${BACKUP_FOLDER:-backups}
days=${BACKUP_DAYS:-14}
at=${BACKUP_AT:-04:00}
database=${PGDATABASE:-cartagena}
retry_seconds=${BACKUP_RETRY_SECONDS:-3600}

say() { echo "backup: $*" >&2; }
fail() { say "$*"; exit 1; }

case $days in '' | *[!0-9]* | 0) fail "BACKUP_DAYS must be a number of days, not '$days'." ;; esac
case $at in [01][0-9]:[0-5][0-9] | 2[0-3]:[0-5][0-9]) ;; *) fail "BACKUP_AT must be a time such as 04:00, not '$at'." ;; esac

# Old backups are deleted only after a new one is complete, so the last good one always stays.
back_up() {
    mkdir -p "$folder"
    find "$folder" -maxdepth 1 -name 'cartagena-*.dump.part' -mmin +720 -exec rm -f {} + # of backups that were killed
    file=$folder/cartagena-$(date -u +%Y-%m-%dT%H-%M-%SZ).dump
    trap 'rm -f "$file.part"' EXIT
    trap 'exit 1' HUP INT TERM
    pg_dump --format custom --file "$file.part" "$database"
    pg_restore --list "$file.part" > /dev/null
    mv "$file.part" "$file"
    find "$folder" -maxdepth 1 -name 'cartagena-*.dump' -mtime "+$((days - 1))" -exec rm -f {} +
    say "wrote $file"
}

is_due() { [ -z "$(find "$folder" -maxdepth 1 -name 'cartagena-*.dump' -mtime -1 2> /dev/null)" ]; }

seconds_until_next() {
    hour=${at%:*} minute=${at#*:}
    seconds=$((${hour#0} * 3600 + ${minute#0} * 60))
    echo $(((seconds - $(date -u +%s) % 86400 + 86399) % 86400 + 1))
}

back_up_every_day() {
    say "backing up every day at $at UTC to $folder, keeping $days days"
    if is_due; then wait_seconds=0; else wait_seconds=$(seconds_until_next); fi
    while :; do
        sleep "$wait_seconds"
        if sh "$0" now; then
            wait_seconds=$(seconds_until_next)
        else
            say "failed; trying again in $retry_seconds seconds"
            wait_seconds=$retry_seconds
        fi
    done
}

run_sql() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname postgres --command "$1"; }

# The backup is loaded beside the database, which is replaced only if that succeeds.
restore() {
    [ -r "$1" ] || fail "$1 cannot be read."
    users=$(run_sql "SELECT count(*) FROM pg_stat_activity WHERE datname = '$database' AND backend_type = 'client backend'")
    [ "$users" = 0 ] || fail "the database is in use. Stop the app first: docker compose stop app"
    run_sql "DROP DATABASE IF EXISTS \"${database}_restored\""
    run_sql "CREATE DATABASE \"${database}_restored\""
    pg_restore --exit-on-error --no-owner --dbname "${database}_restored" "$1"
    # Without a database, ${database}_before is the old one: an earlier restore was killed between the two renames.
    if [ "$(run_sql "SELECT count(*) FROM pg_database WHERE datname = '$database'")" = 1 ]; then
        run_sql "DROP DATABASE IF EXISTS \"${database}_before\""
        run_sql "ALTER DATABASE \"$database\" RENAME TO \"${database}_before\""
    fi
    run_sql "ALTER DATABASE \"${database}_restored\" RENAME TO \"$database\""
    say "restored $1; the database of before is ${database}_before"
}

case ${1:-} in
    every-day) back_up_every_day ;;
    now) back_up ;;
    restore) restore "${2:?say which file to restore}" ;;
    *) fail "usage: backup.sh every-day | now | restore FILE" ;;
esac
