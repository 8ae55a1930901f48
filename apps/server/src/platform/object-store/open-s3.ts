import type * as Sdk from "@aws-sdk/client-s3";

/** `endpoint`: an origin, null for Amazon's; `credentials`: null for whatever the SDK finds (variables, a profile, a role, a web identity). */
export type S3Address = {
  readonly endpoint: string | null;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** One call, its answer's head included; another try may follow. */
  readonly attemptMs: number;
  readonly attempts: number;
};

export type S3 = { readonly sdk: typeof Sdk; readonly client: Sdk.S3Client };

const CONNECT_MS = 2_000;

/** Gives a client of a store of objects. The SDK is loaded only then: a service that keeps its files in a folder goes without. */
export async function openS3({ endpoint, region, pathStyle, credentials, attemptMs, attempts }: S3Address): Promise<S3> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    // Checksums of its own choosing are what other makers' stores do not know.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Asked before a body is sent, it is six seconds of waiting where the store does not answer it.
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_MS, attemptMs),
      requestTimeout: attemptMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0,
    },
  });
  return { sdk, client };
}

/** What the SDK says of a call that failed: the status and the store's own word for it, where it answered. */
export type S3Refusal = { readonly status: number | null; readonly code: string; readonly message: string };

export function refusalOf(error: unknown): S3Refusal {
  const { name = "", message = "", $metadata } = error as Partial<Sdk.S3ServiceException>;
  return { status: $metadata?.httpStatusCode ?? null, code: name, message };
}
