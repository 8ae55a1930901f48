export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
  // Slow browsers read the address after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
