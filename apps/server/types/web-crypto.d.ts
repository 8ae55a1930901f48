import type { webcrypto } from "node:crypto";

/** The signing core is written for any runtime and uses the names of Web Crypto; Node has them under `webcrypto` (@types/node). */
declare global {
  type BufferSource = webcrypto.BufferSource;
  type CryptoKey = webcrypto.CryptoKey;
  type CryptoKeyPair = webcrypto.CryptoKeyPair;
  type EcdsaParams = webcrypto.EcdsaParams;
  type EcKeyAlgorithm = webcrypto.EcKeyAlgorithm;
  type EcKeyImportParams = webcrypto.EcKeyImportParams;
  type RsaHashedImportParams = webcrypto.RsaHashedImportParams;
  type RsaPssParams = webcrypto.RsaPssParams;
}
