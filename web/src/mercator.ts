// Web Mercator: the world as the unit square, y pointing south.

export interface LonLat {
  lon: number;
  lat: number;
}

export interface World {
  x: number;
  y: number;
}

export const world = ({ lon, lat }: LonLat): World => ({
  x: lon / 360 + 0.5,
  y: 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI),
});

export const lonLat = ({ x, y }: World): LonLat => ({
  lon: (x - 0.5) * 360,
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
});
