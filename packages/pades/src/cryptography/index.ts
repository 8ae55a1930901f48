/** What signatures are judged with: WebCrypto, or what the outside gives. */
export { useCryptography } from "./cryptography.ts";
export { type Cryptography, type SignatureToVerify, webCryptography } from "./web-cryptography.ts";
