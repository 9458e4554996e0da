"""The modules of bench/run."""
import os
import pathlib
import re

CPUINFO = pathlib.Path('/proc/cpuinfo')


def cpu(field):
    """What the system says of the first processor."""
    match = CPUINFO.exists() and re.search(rf'^{field}\s*: (.*)$',
                                           CPUINFO.read_text(), re.M)
    return match[1].strip() if match else 'unknown'


# AMD's Zen 4 is slow to store compressed vectors, by which NumPy sorts with AVX-512:
# that takes six times as long as with AVX2.  NumPy reads this when it is loaded.
if (cpu('vendor_id'), cpu('cpu family')) == ('AuthenticAMD', '25') \
        and 'avx512f' in cpu('flags'):
    os.environ.setdefault('NPY_DISABLE_CPU_FEATURES', 'AVX512_ICL X86_V4')
