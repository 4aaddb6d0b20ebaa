def pytest_addoption(parser):
    parser.addoption("--tables", type=int, default=20, help="how many random tables are compared")


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--tables")))
