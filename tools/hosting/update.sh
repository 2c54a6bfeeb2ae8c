#!/bin/sh
# Update a site of docker-compose.yml: back up, pull, build, replace the app's containers (docs/deploy.md, "Updating").
# Every start of the app migrates the database. Whatever fails ends the update and leaves the running site as it is.
set -eu
cd "$(dirname "$0")/../.."

docker compose run --rm backup now
git pull --ff-only
docker compose build --pull app
docker compose pull --ignore-buildable --quiet
docker compose up --detach --wait --remove-orphans
docker image prune --force
docker compose ps
