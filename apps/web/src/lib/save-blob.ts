/** Saves bytes under a file name, as a click on a download link does. */
export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has read the address once the click is handled; a minute leaves slow ones the time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
