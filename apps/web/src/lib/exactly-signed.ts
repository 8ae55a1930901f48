/** « Le fichier est exactement celui que les 2 signataires ont signé. » */
export function exactlySigned({
  files,
  signers,
}: {
  readonly files: number;
  readonly signers: number;
}): string {
  const what =
    files === 1 ? "Le fichier est exactement celui que" : "Les fichiers sont exactement ceux que";
  const whose = files === 1 ? "son signataire" : "leur signataire";
  return `${what} ${signers > 1 ? `les ${signers}\u00a0signataires ont` : `${whose} a`} signé.`;
}
