// Web Mercator: the world as a square from 0 to 1, y to the south.

export interface Place {
  lon: number;
  lat: number;
}

export interface World {
  x: number;
  y: number;
}

export const world = ({ lon, lat }: Place): World => ({
  x: lon / 360 + 0.5,
  y: 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI),
});

export const place = ({ x, y }: World): Place => ({
  lon: (x - 0.5) * 360,
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
});
