// What this browser keeps from visit to visit, as JSON by key.

/** What is kept under a key; `otherwise` if nothing is, or nothing that can be read. */
export function stored<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function store(key: string, value: unknown): void {
  localStorage.setItem(key, JSON.stringify(value));
}
