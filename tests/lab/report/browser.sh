# A report in Chromium, at 1280 and 360 pixels, light and dark, and printed: no error, no request, nothing wider than
# the screen, legible text; the answer, the table of schemes and, on the wide screen, the plot of contrasts are visible
# at once; a click on the name of a line hides it. Needs node and Chromium.
. tests/support/shell

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if ! command -v node >/dev/null || [ -z "$browser" ]; then
    lacks "a report in a browser" "node and Chromium" "nodejs chromium"
    finish
fi
need compare none sinusoidal learned rope --data builtin:tales:bytes=40000 --layers 1 --heads 2 --width 16 --context 16 \
    --batch 4 --threads 1 --warmup 5 --eval-every 10 --save-every 100 --steps 40 --seeds 2 --workers 1 --lr-grid 1e-3,3e-3 \
    --eval-tokens 2000 --out two
mkdir "$scratch/profile"
if node "$repository/tests/lab/report/browser.js" "$repository" "$browser" "$scratch/profile" two/report.html \
    >"$scratch/checks" 2>"$scratch/complaints"; then
    pass "the browser was driven"
else
    fail "the browser was driven" "$(tail -n 5 "$scratch/complaints")"
fi
while read -r verdict name; do
    if [ "$verdict" = ok ]; then pass "$name"; else fail "$name" "see tests/lab/report/browser.js"; fi
done <"$scratch/checks"
check "there were checks" test "$(wc -l <"$scratch/checks")" -gt 20
finish
