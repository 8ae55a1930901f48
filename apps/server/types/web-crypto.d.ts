import type { webcrypto } from "node:crypto";

/** The signing core uses Web Crypto’s global names; Node has them under `webcrypto`. */
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
