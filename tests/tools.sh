#!/bin/sh
# Installs what the tests use and pip cannot give: Debian's redis-server, node, npm,
# chromium and prometheus; and checkov, which needs an environment of its own.
# Where that is not possible the tests that need them are skipped and say so.

if [ ! -e .venv/checkov/.done ]; then
    echo "installing checkov ..." >&2
    # Apart from the other tools: it wants other versions of what they use too.
    .venv/bin/python -m venv .venv/checkov &&
        .venv/checkov/bin/pip --disable-pip-version-check --quiet install --require-hashes \
            -r tests/deploy/checkov.lock 2>/dev/null && touch .venv/checkov/.done ||
        echo "checkov could not be installed; the test that needs it will be skipped" >&2
fi

missing=""
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v promtool >/dev/null 2>&1 || missing="$missing prometheus"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "not installed, tests that need it will be skipped:$missing" >&2
    exit 0
fi

# Debian starts a packaged server at once unless this file forbids it.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
echo "installing$missing ..." >&2
# One at a time: a package that cannot be had must not keep the others away.
for package in $missing; do
    apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -qq -y --no-install-recommends "$package"; } >/dev/null 2>&1 ||
        echo "$package could not be installed; tests that need it will be skipped" >&2
    if [ -d /run/systemd/system ]; then
        case $package in redis-server | prometheus)
            systemctl disable --now --quiet "$package" >/dev/null 2>&1 ;;
        esac
    fi
done
exit 0
