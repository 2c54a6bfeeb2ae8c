#!/bin/sh
# Update a site of docker-compose.yml: back up, pull, build, replace the app's containers (docs/deploy.md, "Updating").
# Every start of the app migrates the database. A step that fails ends the update; the running site is untouched until
# the containers are replaced.
set -eu
cd "$(dirname "$0")/../.."

docker compose run --rm backup now
git pull --ff-only
docker compose build --pull app
docker compose pull --ignore-buildable --quiet
docker compose up --detach --wait --remove-orphans
# Containers keep the old version of a mounted file that git has replaced.
docker compose up --detach --wait --no-deps --force-recreate proxy backup
docker image prune --force
docker compose ps
