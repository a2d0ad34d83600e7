#!/bin/sh
# Installs the compilers that `make clients` uses and the libraries that generated code imports.
set -e
command -v npm javac go >/dev/null && test -e /usr/share/java/gson.jar &&
    test -e /usr/share/java/jakarta-annotation-api.jar &&
    test -e /usr/share/gocode/src/gopkg.in/validator.v2 && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends nodejs npm default-jdk-headless golang-go \
    golang-gopkg-validator.v2-dev libgoogle-gson-java libjakarta-annotation-api-java >/dev/null
