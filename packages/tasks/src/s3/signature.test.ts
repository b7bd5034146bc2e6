import { expect, it } from 'vitest';
import { objectPath, signedHeaders } from './signature.ts';

/** The example of a GET with a list of parameters in the documentation of S3's signature, with its published key. */
it('signs a request as the documentation of S3 does', () => {
  const key = {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const url = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
  const { authorization } = signedHeaders(key, { method: 'GET', url, time: Date.UTC(2013, 4, 24) });
  expect(authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

it('encodes the path of an object part by part', () => {
  expect(objectPath('b', "a/b c/(d)'ü+&.csv")).toBe('/b/a/b%20c/%28d%29%27%C3%BC%2B%26.csv');
});
