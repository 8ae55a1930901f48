/** Replaces WebCrypto as the means of digesting and verifying. */
export { useCryptography } from "./cryptography.ts";
export { type Cryptography, type SignatureToVerify, webCryptography } from "./web-cryptography.ts";
