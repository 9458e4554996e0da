
# A release: its papers name one thing and one version, META.json is valid, and
# script/release makes it from a tag, with what a maintainer has filled in.

use File::Spec::Functions qw(rel2abs);
use lib 't/lib';

use Gpucompact;
use IPC::Run;
use JSON::PP qw(decode_json encode_json);

my $root = $Gpucompact::source;
my $python = $ENV{PYTHON3} // 'python3';
my ($version, $comment) =
  map { slurp_file("$root/gpucompact.control") =~ /^$_ = '(.*)'$/m }
  qw(default_version comment);

# Runs a command, and returns its exit status and its output.
sub run_quietly
{
	my @command = @_;
	my $output = '';

	IPC::Run::run(\@command, '<' => '/dev/null', '>&' => \$output);
	return ($? >> 8, $output);
}

# The same words and the same version wherever users meet the extension.
my $meta = decode_json(slurp_file("$root/META.json"));
is($meta->{abstract}, $comment, 'META.json has the abstract');
foreach (
	[ 'debian/control.in', qr/^Description: \Q$comment\E$/m ],
	[ 'release/gpucompact.spec', qr/^Summary: +\Q$comment\E$/m ],
	[ 'release/gpucompact.spec', qr/^Version: +\Q$version\E$/m ],
	[ 'release/gpucompact.spec', qr/^%changelog\n.* - \Q$version\E-1$/m ],
	[ 'release/Containerfile', qr/image\.description="\Q$comment\E"/ ],
	[ 'release/Containerfile', qr/image\.version="\Q$version\E"/ ])
{
	my ($file, $pattern) = @$_;

	like(slurp_file("$root/$file"), $pattern, "$file has it");
}

SKIP:
{
	my ($no_python, $python_path) = eval {
		run_quietly($python, '-c', 'import sys; print(sys.executable, end="")') };
	skip('needs git and python3', 1)
	  if $no_python // 1 || !eval { (run_quietly('git', '--version'))[0] == 0 };

	# A repository with what a release is made from.
	my $copy = rel2abs(PostgreSQL::Test::Utils::tempdir());
	my @git = ('git', '-C', $copy, '-c', 'user.name=a', '-c', 'user.email=a@b.example');
	system('cp', '-R', (map { "$root/$_" }
			qw(META.json README.md debian docs gpucompact.control release script sql)),
		$copy) == 0 or die 'cp failed';

	my $check = sub { return run_quietly($python, "$copy/release/check_meta.py", $copy) };
	my ($status, $output) = $check->();
	is("$status$output", '0', 'META.json is valid');
	foreach (
		[ 'resources is missing', sub { delete $_[0]{resources} } ],
		[ 'maintainer[0] may not be', sub { $_[0]{maintainer} = 'nobody' } ],
		[ 'version may not be', sub { $_[0]{version} = '1.2' } ],
		[ 'license[0] may not be', sub { $_[0]{license} = 'mine' } ],
		[ 'tags is empty', sub { $_[0]{tags} = [] } ],
		[ 'provides is empty', sub { $_[0]{provides} = {} } ],
		[ 'licence is unknown', sub { $_[0]{licence} = 'postgresql' } ],
		[ 'no such file', sub { $_[0]{provides}{gpucompact}{docfile} = 'none' } ])
	{
		my ($fault, $damage) = @$_;
		my $damaged = decode_json(slurp_file("$root/META.json"));

		$damage->($damaged);
		unlink("$copy/META.json");
		append_to_file("$copy/META.json", encode_json($damaged));
		($status, $output) = $check->();
		ok($status == 1 && $output =~ /\Q$fault\E/, "META.json: $fault") or diag($output);
	}
	system('cp', "$root/META.json", $copy) == 0 or die 'cp failed';

	# On a machine with hardly a program more than that takes.
	my $programs = rel2abs(PostgreSQL::Test::Utils::tempdir());
	foreach my $program (
		qw(awk bash chmod cp find git grep gzip id ls mkdir mktemp realpath rm sed),
		qw(sha256sum sort tar touch uname))
	{
		my ($path) = grep { -x } map { "$_/$program" } split(/:/, $ENV{PATH});
		symlink($path, "$programs/$program") or die;
	}
	symlink($python_path, "$programs/python3") or die;

	my $release = sub {
		my ($directory, $tag) = @_;

		local $ENV{PATH} = $programs;
		local @ENV{qw(PG_CONFIG NVCC)} = ('', '');
		return run_quietly("$copy/script/release", $tag, $directory);
	};
	my $tag = sub {
		foreach my $command (@_ ? () : [ 'init', '-q' ], [ 'add', '.' ],
			[ 'commit', '-qm', 'x' ], [ 'tag', '-f', "v$version" ])
		{
			($status, $output) = run_quietly(@git, @$command);
			is($status, 0, "git @$command") or diag($output);
		}
	};
	my $out = rel2abs(PostgreSQL::Test::Utils::tempdir());
	my %fields = (
		repository => 'https://git.example.org/gpucompact',
		issues => 'https://git.example.org/gpucompact/issues?a=1&b=2',
		name => 'Ada Lovelace', email => 'ada@example.org',
		security => 'security@example.org');

	$tag->();
	($status, $output) = $release->("$out/none", "v$version.1");
	ok($status == 1 && $output =~ /there is no tag v\Q$version\E\.1/, 'a tag has to be there');
	run_quietly(@git, 'tag', 'other');
	($status, $output) = $release->("$out/none", 'other');
	ok($status == 1 && $output =~ /of version \Q$version\E/, 'and to be named by the version');
	($status, $output) = $release->($out, "v$version");
	isnt($status, 0, 'nothing is released as it is');

	# Each field in turn is the one that lacks.
	my $empty = slurp_file("$copy/release/maintainer");
	foreach my $missing (sort(keys %fields), '')
	{
		my $filled = $empty;

		$filled =~ s/^$_=$/$_=$fields{$_}/m foreach grep { $_ ne $missing } keys %fields;
		unlink("$copy/release/maintainer");
		append_to_file("$copy/release/maintainer", $filled);
		$tag->('again');
		next if $missing eq '';
		($status, $output) = $release->("$out/none", "v$version");
		ok($status == 1 && $output =~ /are empty in v\Q$version\E: $missing$/m, "$missing is empty")
		  or diag($output);
	}
	ok(!-e "$out/none", 'and nothing is made');

	# The files that are checked out do not matter.
	foreach my $time ('first', 'second')
	{
		($status, $output) = $release->("$out/$time", "v$version");
		is($status, 0, "it is made for the $time time") or diag($output);
		append_to_file("$copy/README.md", "later\n");
	}
	like($output, qr/left out: $_/, "it says that $_ are not made")
	  foreach 'Debian packages', "the image's root", 'RPM packages', 'the GPU program';
	($status, $output) = $release->("$out/first", "v$version");
	ok($status == 1 && $output =~ /not empty/, 'it is not made over another one');

	my @files = sort map { s{.*/}{}r } glob("$out/first/*");
	is("@files",
		'Containerfile SHA256SUMS ' . join(' ', map { "gpucompact-$version.$_" }
			  qw(spdx.json tar.gz zip)) . ' gpucompact.spec',
		'this is what it consists of');
	is(slurp_file("$out/second/$_"), slurp_file("$out/first/$_"), "$_ is the same each time")
	  foreach @files;

	($status, $output) = run_quietly('bash', '-c', "cd '$out/first' && sha256sum -c SHA256SUMS");
	is($status, 0, 'the checksums are right') or diag($output);
	(undef, $output) = run_quietly('bash', '-c',
		"cd '$out' && tar -xzf first/*.tar.gz && grep -r '\\.invalid' gpucompact-$version/{META.json,debian}");
	is($output, '', 'no address is left to be filled in');
	$meta = decode_json(slurp_file("$out/gpucompact-$version/META.json"));
	is($meta->{maintainer}, "$fields{name} <$fields{email}>", 'META.json has the maintainer');
	is($meta->{resources}{bugtracker}{web}, $fields{issues}, 'and the issue tracker');
	like(slurp_file("$out/gpucompact-$version/debian/control.in"),
		qr/^Maintainer: $fields{name} <$fields{email}>\n(.*\n)*Vcs-Git: $fields{repository}$/m,
		'and so have the Debian packages');

	my $bill = decode_json(slurp_file("$out/first/gpucompact-$version.spdx.json"));
	my ($source) = grep { $_->{name} =~ /\.tar\.gz$/ } @{ $bill->{packages} };
	is(scalar(@{ $source->{hasFiles} }),
		`find '$out/gpucompact-$version' -type f | wc -l` + 0, 'the bill has each file');
}

done_testing();
