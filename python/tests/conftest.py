"""A small city and its users, shared by all tests."""

import pytest

import meshcloak as mc


@pytest.fixture(scope="session")
def city():
    return mc.Map.city(500, seed=1)


@pytest.fixture(scope="session")
def people(city):
    return city.simulate(400, seed=1)


@pytest.fixture(scope="session")
def outcomes(city, people):
    return city.cloak(people)
