# The page in a headless browser, used as a reader would: every control of every section, by mouse and by keyboard
# alone.
. tests/support/shell
. "$repository/tests/lesson/node"

browser=
for candidate in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $candidate)
done
if [ -z "$browser" ]; then
    lacks "the page in a browser" Chromium chromium
    finish
fi
mkdir "$scratch/profile"
node "$pages/reader.js" "$browser" "$PAGE" "$scratch/profile"
