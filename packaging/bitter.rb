# A formula for Homebrew, but for its url and sha256: `make dist` writes it with those of the tarball.
class Bitter < Formula
  desc "Train small GPTs with interchangeable position schemes"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "openblas"
  depends_on "pcre2"
  uses_from_macos "zlib"

  on_macos do
    depends_on "libomp"
  end

  def install
    ENV.O3 # Homebrew's -Os makes a step 1.2 to 1.9 times as long
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    system bin/"bitter", "train", "--layers", "1", "--width", "16", "--heads", "2", "--steps", "2", "--out", "run"
    assert_match ": ok", shell_output("#{bin}/bitter gradcheck --pos rope")
  end
end
