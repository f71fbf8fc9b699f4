#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# browse.sh PAGE [OPTION...]: opens a page in headless Chromium, moves the
# pointer over its chart, and prints the document that this makes, with errors of
# scripts as data-error of its first element.
set -euo pipefail
page=$1
shift
copy=$page.browsed.html
{
  echo "<script>addEventListener('error', e => { document.documentElement.dataset.error = e.message; });</script>"
  cat "$page"
  cat <<'END'
<script>
const chart = document.getElementById('memory'), frame = chart.getBoundingClientRect();
chart.dispatchEvent(new PointerEvent('pointermove',
    {clientX: frame.left + frame.width * 0.5, clientY: frame.top + 100}));
document.body.dataset.wide = document.documentElement.scrollWidth > innerWidth;
document.body.dataset.paper = getComputedStyle(document.body).backgroundColor;
</script>
END
} >"$copy"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
timeout 100 chromium --headless --no-sandbox --disable-gpu --no-first-run \
  --user-data-dir="$profile" --window-size=1000,800 "$@" --dump-dom "file://$copy" 2>/dev/null
