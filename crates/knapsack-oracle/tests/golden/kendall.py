"""Kendall's tau-b by SciPy for lists with and without ties.

pip install numpy==2.4.6 scipy==1.17.1
python kendall.py > kendall.csv
"""

import numpy
import scipy
from scipy.stats import kendalltau

print(f"# origin: scipy {scipy.__version__}, scipy.stats.kendalltau(a, b, variant='b'), 2026-11-22")
print("a,b,tau_b")
rng = numpy.random.default_rng(7)
for n in [2, 3, 4, 5, 8, 16, 33, 100]:
    for levels in [2, 3, 10, 1000]:
        for _ in range(3):
            a = rng.integers(0, levels, n)
            b = rng.integers(0, levels, n)
            if rng.random() < 0.5:
                b = a + rng.integers(0, 2, n)
            tau = kendalltau(a, b, variant="b").statistic
            if not numpy.isnan(tau):
                print(" ".join(map(str, a)), " ".join(map(str, b)), repr(float(tau)), sep=",")
