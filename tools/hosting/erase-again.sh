#!/bin/sh
# After a restore: erase again everyone who has been erased since the backup (docs/deploy.md, "After a restore").
#
#   erase-again.sh SUFFIX    SUFFIX is what was added to the name of the replaced database
#
# CARTAGENA_DATABASE says where the restored database is, as for cartagena. It may be repeated.
set -eu
restored=${CARTAGENA_DATABASE:-sqlite:///cartagena.db}
name=${restored%%\?*}
replaced=$name${1:?say what was added to the name of the replaced database}${restored#"$name"}

list_people() { cartagena admin --database "$1" --json people "" --limit 2147483647; }
before=$(list_people "$replaced")
now=$(list_people "$restored")
{
    echo "$before" | sed -n 's/^{"id": "\([^"]*\)".*, "deleted_at": [0-9]*}$/\1/p'
    # The guests of an account are erased with it.
    echo "$now" | sed -n 's/^{"id": "\([^"]*\)".*, "claimed_by": null, [^{}]*, "deleted_at": null}$/\1/p'
} | sort | uniq -d | while read -r id; do
    echo "$id"
    cartagena admin erase "$id" --reason "erased before the restore" < /dev/null
done
