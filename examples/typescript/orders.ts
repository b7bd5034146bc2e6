/** A workflow in TypeScript. Publish it with: orrery apply -f examples/typescript/orders.ts */
import { conditions, shell, switchOn, workflow } from 'orrery-scheduler';

export const orders = workflow('typescript/orders', {
  description: 'Counts the orders of a day and loads them in the way that fits',
  params: {
    day: '$[yyyyMMdd-1]',
    region: { default: 'eu', options: ['eu', 'us'], description: 'Where the orders come from' },
  },
})
  // What a task refers to comes as an argument; a name that does not exist is an error of the compiler.
  .task(
    'count',
    ({ params }) =>
      shell(`
        echo "counting orders of ${params.day} in ${params.region}"
        echo '\${setValue(rows=1200)}'
      `),
    { outputs: ['rows'], retries: { limit: 3, delay: '10s', backoff: 2 } },
  )

  // A task that chooses gives its branches names, and those that follow say by which of them.
  .task('size', switchOn({ many: 'rows > 1000', few: 'rows > 0' }), { needs: 'count' })
  .task('in-parts', ({ outputs }) => shell(`echo "part of ${outputs.count.rows} rows"`), {
    needs: 'size:many',
    shards: 3,
  })
  .task('at-once', ({ outputs }) => shell(`echo "all ${outputs.count.rows} rows"`), { needs: 'size:few' })

  .task('check', conditions({ any: ['in-parts', 'at-once'] }), { needs: ['in-parts', 'at-once'] })
  .task('report', shell('echo done'), { needs: 'check:success' })
  .task('clean-up', shell('echo cleaning up'), { needs: ['check:failure', 'size:default'] });
