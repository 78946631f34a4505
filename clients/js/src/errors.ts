// Errors: each says why there is no answer. None carries a position.

/** Base of all errors. */
export class MeshCloakError extends Error {
  override name = 'MeshCloakError';
}

/** The user could not be hidden in time. The service was not asked. */
export class NotHidden extends MeshCloakError {
  override name = 'NotHidden';
}

/** The gateway refused the request: `reason` is a code for programs. Nothing was sent. */
export class Refused extends MeshCloakError {
  override name = 'Refused';
  constructor(
    readonly reason: string,
    message: string,
    readonly status: number,
    /** Seconds after which a retry can succeed. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** The user was hidden, but the service did not answer. */
export class ServiceFailed extends MeshCloakError {
  override name = 'ServiceFailed';
}

/** The answer may lack objects, and `exact` was asked for. */
export class NotExact extends MeshCloakError {
  override name = 'NotExact';
}

/** The gateway cannot be reached, or its response is not one of the API. */
export class Unreachable extends MeshCloakError {
  override name = 'Unreachable';
}
