"""Asks a gateway for cafés with unmodified clients of Overpass, Google Places and Photon.

clients.py BASE LATITUDE LONGITUDE     BASE is https://gateway.example/compatible/TOKEN

Needs `pip install overpy googlemaps google-maps-places geopy`. Only the base URL differs from the public
services; the clients print the same cafés, because all ask about the same place. Requests that cannot be
answered show how each client reports a refusal.
"""
import sys
from urllib.parse import urlsplit

import geopy.exc
import geopy.geocoders
import googlemaps
import overpy
from google.api_core.exceptions import BadRequest
from google.auth.credentials import AnonymousCredentials
from google.maps import places_v1
from google.maps.places_v1.services.places.transports import PlacesRestTransport

RADIUS = 900


def overpass(base, lat, lon):
    api = overpy.Overpass(url=f"{base}/api/interpreter")
    result = api.query(f'[out:json];node["amenity"="cafe"](around:{RADIUS},{lat},{lon});out;')
    return {node.tags["name"] for node in result.nodes}


def google(base, lat, lon):
    # The client refuses keys that do not look like Google's; the token is in the base URL.
    api = googlemaps.Client(key="AIza-unused", base_url=base, retry_timeout=1)
    result = api.places_nearby(location=(lat, lon), radius=RADIUS, type="cafe")
    return {place["name"] for place in result["results"]}


def google_by_distance(base, lat, lon):
    api = googlemaps.Client(key="AIza-unused", base_url=base, retry_timeout=1)
    result = api.places_nearby(location=(lat, lon), rank_by="distance", type="cafe")
    return [place["name"] for place in result["results"]]


def google_search_nearby(base, lat, lon, rank="DISTANCE"):
    url = urlsplit(base)
    transport = PlacesRestTransport(
        host=base, credentials=AnonymousCredentials(), url_scheme=url.scheme
    )
    api = places_v1.PlacesClient(transport=transport)
    circle = {"center": {"latitude": lat, "longitude": lon}, "radius": RADIUS}
    request = places_v1.SearchNearbyRequest(
        location_restriction={"circle": circle}, included_types=["cafe"], rank_preference=rank
    )
    mask = [("x-goog-fieldmask", "places.displayName,places.location")]
    places = api.search_nearby(request, metadata=mask).places
    assert all(place.location.latitude and not place.id for place in places)
    return [place.display_name.text for place in places]


def photon(base, lat, lon):
    url = urlsplit(base)
    api = geopy.geocoders.Photon(scheme=url.scheme, domain=url.netloc + url.path, timeout=60)
    places = api.reverse((lat, lon), exactly_one=False, limit=5)
    return [place.raw["properties"]["name"] for place in places]


def refused(ask, error):
    """Asks what the gateway cannot answer, and returns the sentence that the client raises."""
    try:
        ask()
    except error as refusal:
        return str(refusal)
    raise AssertionError("the request was answered")


def main(base, lat, lon):
    cafes = overpass(base, lat, lon)
    print(f"Overpass: {len(cafes)} cafés")
    # An answer of Google's API has at most 20 places.
    assert google(base, lat, lon) <= cafes
    nearest = google_by_distance(base, lat, lon)
    print(f"Google Places: the nearest is {nearest[0]}")
    assert nearest[0] in cafes
    searched = google_search_nearby(base, lat, lon)
    print(f"Google Places (New): {len(searched)} places, the nearest is {searched[0]}")
    assert searched == nearest[:len(searched)]
    print(f"Photon: {len(photon(base, lat, lon))} places")
    api = overpy.Overpass(url=f"{base}/api/interpreter")
    query = f"[out:json];relation(around:{RADIUS},{lat},{lon});out;"
    print(refused(lambda: api.query(query), overpy.exception.OverpassBadRequest).splitlines()[-1])
    api = googlemaps.Client(key="AIza-unused", base_url=base, retry_timeout=1)
    ask = lambda: api.places_nearby(location=(lat, lon), radius=RADIUS, keyword="tea")
    print(refused(ask, googlemaps.exceptions.ApiError))
    ask = lambda: google_search_nearby(base, lat, lon, rank="POPULARITY")
    # The sentence follows the URL, which has the token.
    print(refused(ask, BadRequest).partition(": ")[2])
    url = urlsplit(base)
    api = geopy.geocoders.Photon(scheme=url.scheme, domain=url.netloc + url.path)
    print(refused(lambda: api.reverse((lat, lon), language="de"), geopy.exc.GeocoderQueryError))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
