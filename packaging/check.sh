#!/usr/bin/env bash
# Checks what make dist makes for Linux on this processor: built twice it has the same bytes, the program is at most 30 MB, lintian has nothing
# to say of the Debian package, both packages install into an empty root, run there and go without a trace, and the parts of the images
# are what their names say. A tool that is not here is named, and what it would have checked is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.0.1
platform=linux/$(go env GOHOSTARCH)
arch=${platform#*/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "error: $*" >&2
	exit 1
}

for run in first second; do
	go run -C packaging . -output "$work/$run" -version $version -platforms "$platform"
done
cmp "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || fail "built twice, the bytes differ"
echo "built twice: the same bytes"

go test -C packaging -tags release ./... || fail "the tests of a release do not pass"
(cd "$work/first" && sha256sum --quiet -c SHA256SUMS)

tar -C "$work" -xzf "$work/first/polydag_${version}_linux_$arch.tar.gz"
size=$(stat -c %s "$work/polydag_${version}_linux_$arch/polydag")
[ "$size" -le 30000000 ] || fail "the program has $size bytes, more than 30 MB"
echo "the program has $size bytes"

# installed ROOT says that the program is there and runs, without anything else in the root. grep reads to the end, here and below: grep -q
# leaves at the first match, and a program that then has more to print fails.
installed() {
	chroot "$1" /usr/bin/polydag version | grep "polydag $version, commit $(git rev-parse HEAD)" >/dev/null || fail "polydag version does not tell version and commit"
	chroot "$1" /usr/bin/polydag demo >/dev/null || fail "polydag demo does not run in $1"
	[ -e "$1/usr/share/man/man1/polydag-learn.1.gz" ] || fail "no manual page in $1"
	[ -e "$1/usr/share/bash-completion/completions/polydag" ] || fail "no completion in $1"
}

# gone ROOT says that nothing of it is left.
gone() {
	left=$(find "$1" -path '*polydag*' -not -path '*/var/lib/*' -not -path '*/var/log/*')
	[ -z "$left" ] || fail "left behind: $left"
}

deb=("$work"/first/*.deb)
if command -v lintian >/dev/null; then
	lintian --fail-on error,warning --tag-display-limit 0 --allow-root "${deb[0]}" 2>&1 | tee "$work/lintian" || fail "lintian has something to say"
	echo "lintian: nothing worse than a note"
else
	echo "lintian is not here: the Debian package is not looked at"
fi
if [ "$(id -u)" != 0 ]; then
	echo "not root: no package is installed"
	exit 0
fi
if command -v dpkg >/dev/null; then
	root=$work/debian
	mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root"/var/log
	touch "$root/var/lib/dpkg/status"
	dpkg --root="$root" --force-script-chrootless --install "${deb[0]}" >/dev/null
	installed "$root"
	dpkg --root="$root" --force-script-chrootless --purge polydag >/dev/null
	gone "$root"
	echo "dpkg: installed, run, removed"
else
	echo "dpkg is not here: the Debian package is not installed"
fi
if command -v rpm >/dev/null; then
	root=$work/rpm
	mkdir -p "$root"
	force=()
	[ ! -e /etc/debian_version ] || force=(--force-debian) # where rpm is a guest
	rpm --root "$root" --initdb
	rpm --root "$root" "${force[@]}" --nosignature --install "$work"/first/*.rpm
	installed "$root"
	rpm --root "$root" "${force[@]}" --erase polydag
	gone "$root"
	echo "rpm: installed, run, removed"
else
	echo "rpm is not here: it is not installed"
fi

wheels=("$work"/first/*.whl)
[ ${#wheels[@]} = 2 ] || fail "want a pure wheel and one for $platform, got ${wheels[*]}"
grep -c '\.whl$' "$work/first/SHA256SUMS" | grep '^2$' >/dev/null || fail "SHA256SUMS does not list the wheels"
! grep NOASSERTION "$work"/first/*.spdx.json | grep -e licenseDeclared -e licenseConcluded || fail "a bill of materials states no licence"
for image in polydag polydag-hub; do
	if command -v skopeo >/dev/null; then
		skopeo inspect --config "docker-archive:$work/first/${image}_${version}_image.tar:$image:$version" | grep "\"$arch\"" >/dev/null || fail "$image is not what docker load takes"
	else
		echo "skopeo is not here: $image is not read as docker load reads it"
	fi
	mkdir "$work/$image"
	tar -C "$work/$image" -xf "$work/first/${image}_${version}_image.tar"
	for blob in "$work/$image"/blobs/sha256/*; do
		[ "$(sha256sum <"$blob" | cut -d' ' -f1)" = "$(basename "$blob")" ] || fail "$image: $blob is not what its name says"
		if gzip -t "$blob" 2>/dev/null; then
			mkdir -p "$work/$image/root"
			tar -C "$work/$image/root" -xzf "$blob"
		fi
	done
	chroot "$work/$image/root" "/usr/bin/$image" --version >/dev/null || fail "$image does not run"
done
chroot "$work/polydag-hub/root" /usr/bin/polydag-hub --help | grep -e --store >/dev/null || fail "polydag-hub has no hub"
echo "images: whole, and they run"
