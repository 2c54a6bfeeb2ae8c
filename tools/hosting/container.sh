#!/bin/sh
# Start or update a club's server: one container with SQLite in the volume `cartagena` (docs/deploy.md, section 1).
# A running container is backed up first, and replaced once the new image is built. It is kept, stopped, until the new
# one is healthy; otherwise it is started again.
set -eu
cd "$(dirname "$0")/../.."

exists() { docker container inspect "$1" > /dev/null 2>&1; }

# Docker checks the health at intervals of up to 15 seconds, and a migration may take minutes.
wait_until_healthy() {
    seconds=0
    while [ "$seconds" -lt "${START_SECONDS:-300}" ]; do
        case $(docker container inspect --format '{{.State.Health.Status}} {{.RestartCount}}' cartagena) in
            "healthy "*) return 0 ;;
            *" 0") ;;
            *) return 1 ;; # it has ended
        esac
        sleep 1
        seconds=$((seconds + 1))
    done
    return 1
}

go_back() {
    if exists cartagena-before; then
        ! exists cartagena || docker rm --force cartagena
        docker rename cartagena-before cartagena
    fi
    if docker start cartagena && wait_until_healthy; then
        echo "The previous container runs again." >&2
    else
        echo "The previous container does not start either. docker logs cartagena says why. If the new release has" \
            "changed the database, restore the last backup (docs/deploy.md, section 5)." >&2
    fi
}

if [ ! -e .env ]; then
    install -m 600 .env.example .env
    sed -i "s/^CARTAGENA_SECRET=.*/CARTAGENA_SECRET=$(openssl rand -hex 32)/" .env
    echo "Wrote .env with a new secret. Set CARTAGENA_PUBLIC_URL in it, and run this again." >&2
    exit 1
fi
if [ -n "${PUBLISH:-}" ]; then # kept for the next update
    sed -i -e '/^PUBLISH=/d' -e '$a\' .env
    echo "PUBLISH=$PUBLISH" >> .env
fi
publish=$(sed -n 's/^PUBLISH=//p' .env | tail -n 1)
if docker exec cartagena true 2> /dev/null; then
    docker exec cartagena cartagena admin backup
fi
if [ "${1:-}" = update ]; then
    git pull --ff-only
fi
docker build --pull --tag cartagena .
if exists cartagena-before; then # of an update that was killed
    ! exists cartagena || docker rm --force cartagena
    docker rename cartagena-before cartagena
fi
if exists cartagena; then
    trap go_back EXIT
    trap 'exit 1' HUP INT TERM
    docker stop -t 20 cartagena
    docker rename cartagena cartagena-before
fi
docker run --detach --name cartagena --restart unless-stopped --publish "${publish:-8000:8000}" \
    --env-file .env --volume cartagena:/data --log-opt max-size=10m --log-opt max-file=5 cartagena
if ! wait_until_healthy; then
    docker logs --tail 20 cartagena >&2
    echo "The new container did not become healthy; its log is above." >&2
    exit 1
fi
trap - EXIT
! exists cartagena-before || docker rm cartagena-before
docker image prune --force
