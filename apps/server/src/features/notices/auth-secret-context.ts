/** What a subscription's secret is wrapped with: moved to another endpoint it does not open. */
export function authSecretContext(endpoint: string): string {
  return `push-subscription:${endpoint}`;
}
