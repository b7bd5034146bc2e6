/** Example workflows; each opens in the dialog and can be published unchanged. */
import type { Key } from '../../i18n/en.ts';

interface Example {
  readonly name: string;
  readonly title: Key;
  readonly text: string;
}

export const examples = [
  {
    name: 'hello',
    title: 'workflows.example.hello',
    text: `name: hello
params:
  name:
    default: world
    description: Whom to greet
tasks:
  - name: prepare
    type: shell
    with:
      script: echo "preparing"
  - name: greet
    type: shell
    needs: prepare
    retries: 2
    with:
      script: echo "hello, \${name}"
`,
  },
  {
    name: 'schedule',
    title: 'workflows.example.schedule',
    text: `name: nightly
timezone: Asia/Shanghai
schedules:
  - name: every-night
    cron: 0 30 2 * * ?
    misfire: fire-once
tasks:
  - name: report
    type: shell
    with:
      script: echo "report for $[yyyy-MM-dd-1]"
`,
  },
  {
    name: 'shards',
    title: 'workflows.example.shards',
    text: `name: cities
tasks:
  - name: load
    type: shell
    shards: 0=beijing,1=shanghai,2=shenzhen
    with:
      script: echo "shard $ORRERY_SHARD loads $ORRERY_SHARD_PARAMETER"
  - name: merge
    type: shell
    needs: load
    with:
      script: echo "all shards are done"
`,
  },
] as const satisfies readonly Example[];
