import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '@orrery/api';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { promtool } from '../../../../scripts/services/tools.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'operate');
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const rules: readonly Rule[] = parse(textOf('prometheus/orrery-rules.yml')).groups.flatMap(
  ({ rules: list }: { rules: Rule[] }) => list,
);
const board = JSON.parse(textOf('grafana/orrery.json')) as {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
};

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => undefined }) };
const known = new Set(new Metrics({ clock }).names);
/** The metrics that an expression names, as they are registered. */
const namedIn = (expr: string) =>
  [...expr.matchAll(/\b(orrery_\w+)/g)].map(([, name]) => name.replace(/_(bucket|count|sum)$/, ''));

describe('the alert rules', () => {
  it('are accepted by promtool, and fire in the cases that are written down', () => {
    const at = { cwd: join(folder, 'prometheus'), encoding: 'utf8' } as const;
    const program = promtool.find() as string;
    expect(execFileSync(program, ['check', 'rules', 'orrery-rules.yml'], at)).toContain('SUCCESS');
    expect(execFileSync(program, ['test', 'rules', 'orrery-rules.test.yml'], at)).toContain('SUCCESS');
  });

  it.each(rules)('$alert names metrics that exist, and has a runbook', ({ alert, expr, annotations }) => {
    for (const name of namedIn(expr)) expect(known).toContain(name);
    expect(expr).toMatch(/orrery_|nodejs_/);
    expect(annotations.runbook).toBe(`docs/operate/alarms.md#${alert.toLowerCase()}`);
    expect(annotations.summary).not.toBe('');
  });

  it('are all in the runbook, and nothing else is', () => {
    const sections = [...textOf('alarms.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

describe('the board', () => {
  it.each(board.panels)('shows metrics that exist: $title', ({ targets }) => {
    expect(targets).not.toEqual([]);
    for (const { expr } of targets) {
      expect(expr).toMatch(/orrery_|nodejs_/);
      for (const name of namedIn(expr)) expect(known).toContain(name);
    }
  });

  it('shows all metrics of who fires what', () => {
    const shown = board.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namedIn(expr)));
    const wanted = [...known].filter((name) =>
      /schedules|plan|leader|registry|reshards|failovers|drains|claims|mode/.test(name),
    );
    for (const name of wanted) expect(shown).toContain(name);
  });
});
