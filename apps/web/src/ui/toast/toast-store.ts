import { ERROR_TOAST_INTERVAL_MS } from "@paraphe/contracts";
import type { ReactNode } from "react";

export type ToastKind = "ok" | "err" | "info";
export type Toast = {
  readonly id: number;
  readonly kind: ToastKind;
  readonly message: string;
  /** A second line, perhaps with a control. */
  readonly detail?: ReactNode;
  readonly durationMs: number;
  /** When the time is over, not when it is closed. */
  readonly onElapsed?: (() => void) | undefined;
  readonly onClosed?: (() => void) | undefined;
};
export type ToastOptions = Partial<Pick<Toast, "detail" | "durationMs" | "onElapsed" | "onClosed">>;

const DURATIONS: Readonly<Record<ToastKind, number>> = { ok: 5_000, err: 8_000, info: 5_000 };
const STACK = 3;

let toasts: readonly Toast[] = [];
let nextId = 1;
let lastErrorAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

/**
 * Returns the way to remove it. Specification §7: at most three at once, no duplicate, and one
 * error every 3 seconds.
 */
export function showToast(
  kind: ToastKind,
  message: string,
  options: ToastOptions = {},
): () => void {
  const now = performance.now();
  if (kind === "err" && now - lastErrorAt < ERROR_TOAST_INTERVAL_MS) return () => {};
  const twin = toasts.find((toast) => toast.kind === kind && toast.message === message);
  if (twin) return () => removeToast(twin.id);
  if (kind === "err") lastErrorAt = now;
  const toast: Toast = { id: nextId, kind, message, durationMs: DURATIONS[kind], ...options };
  nextId += 1;
  publish([...toasts, toast].slice(-STACK));
  return () => removeToast(toast.id);
}

export function removeToast(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id));
}

export function clearToasts(): void {
  lastErrorAt = Number.NEGATIVE_INFINITY;
  publish([]);
}

/** Oldest first. */
export function currentToasts(): readonly Toast[] {
  return toasts;
}

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(next: readonly Toast[]): void {
  toasts = next;
  listeners.forEach((listener) => listener());
}
