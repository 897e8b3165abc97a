/** The text format of Prometheus, version 0.0.4: a head per metric, then its values. */
type Labels = Readonly<Record<string, string>>;

export class Exposition {
  readonly #lines: string[] = [];
  #name = '';

  metric(name: string, type: 'counter' | 'gauge' | 'summary', help: string): void {
    this.#name = name;
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  value(value: number, labels: Labels = {}, suffix = ''): void {
    const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`);
    this.#lines.push(`${this.#name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
  }

  single(name: string, type: 'counter' | 'gauge', help: string, value: number): void {
    this.metric(name, type, help);
    this.value(value);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
