/** The workflows of the seeds, as people would write them. Their scripts do nothing that could hurt where they run. */

/** What runs well, most of the time. */
export const everyday = `
project: etl
name: daily-orders
description: Loads the orders of the day before and publishes the summary
tags: [orders, warehouse]
timezone: UTC
timeout: 4h
params:
  day: $[yyyyMMdd-1]
  region: {default: eu, options: [eu, us, cn], description: Where the orders come from}
schedule: {cron: 0 0 2 * * ?, misfire: skip}
tasks:
  - {name: extract, type: shell, retries: {limit: 3, delay: 30s, backoff: 2}, timeout: 1h, with: {script: "echo extract \${day} \${region}; sleep 2"}}
  - {name: load, type: shell, needs: extract, shards: "0=orders,1=items,2=refunds", group: warehouse, with: {script: "echo load \${day}; sleep 2"}}
  - {name: archive, type: shell, needs: extract, disabled: true, with: {script: echo archive}}
  - {name: check, type: conditions, needs: load, with: {all: [load], success: publish, failure: clean-up}}
  - {name: publish, type: sub-workflow, needs: check, with: {workflow: reports/orders-summary, params: {day: "\${day}"}}}
  - {name: clean-up, type: shell, needs: check, with: {script: "echo clean up \${day}"}}
---
project: reports
name: orders-summary
callableFrom: [etl]
description: Writes the summary of a day's orders
params: {day: "$[yyyyMMdd-1]"}
tasks:
  - {name: aggregate, type: shell, with: {script: "echo aggregate \${day}; sleep 1"}}
  - {name: render, type: shell, needs: aggregate, with: {script: echo render; sleep 1}}
  - {name: send, type: shell, needs: render, with: {script: echo send}}
---
project: etl
name: stock-sync
description: Brings the stock of all warehouses up to date
tags: [stock]
schedule: {cron: 0 0/30 * * * ?, misfire: skip}
tasks:
  - {name: fetch, type: shell, retries: {limit: 2, delay: 20s}, with: {script: echo fetch; sleep 1}}
  - {name: compare, type: shell, needs: fetch, with: {script: echo compare}}
  - {name: update, type: shell, needs: compare, with: {script: echo update}}
`;

/** What stands still in one way or another. */
export const troubled = `
project: ops
name: backup
description: One at a time, whatever happens
mode: serial-wait
tasks:
  - {name: snapshot, type: shell, with: {script: echo snapshot; sleep 5}}
  - {name: upload, type: shell, needs: snapshot, delay: 10m, with: {script: echo upload}}
  - {name: verify, type: shell, needs: upload, with: {script: echo verify}}
---
project: ml
name: train-model
description: Needs a worker with a graphics card
tasks:
  - {name: features, type: shell, with: {script: echo features; sleep 2}}
  - {name: train, type: shell, needs: features, workerGroup: gpu, with: {script: echo train}}
  - {name: evaluate, type: shell, needs: train, with: {script: echo evaluate}}
---
project: etl
name: partner-import
callableFrom: [reports]
description: Fetches files from partners, who are not always there
tasks:
  - {name: list, type: shell, with: {script: echo list; sleep 1}}
  - {name: download, type: shell, needs: list, retries: {limit: 5, delay: 10m}, with: {script: echo download; sleep 2}}
  - {name: parse, type: shell, needs: list, with: {script: echo parse; sleep 3}}
  - {name: merge, type: shell, needs: [download, parse], with: {script: echo merge}}
---
project: billing
name: invoices
description: Stops at the first failure, because half of the invoices are worse than none
onFailure: end
params: {month: "$[yyyyMM-1]"}
tasks:
  - {name: collect, type: shell, with: {script: "echo collect \${month}; sleep 2"}}
  - {name: price, type: shell, with: {script: echo price; sleep 2}}
  - {name: render, type: shell, needs: [collect, price], with: {script: echo render}}
  - {name: send, type: shell, needs: render, with: {script: echo send}}
---
project: ops
name: nightly-cleanup
description: Chooses by how full the disk is
tasks:
  - {name: measure, type: shell, with: {script: "echo measure; echo '\${setValue(used=72)}'"}}
  - {name: how-full, type: switch, needs: measure, with: {cases: [{when: used > 90, to: purge}, {when: used > 50, to: rotate}], default: nothing}}
  - {name: purge, type: shell, needs: how-full, with: {script: echo purge}}
  - {name: rotate, type: shell, needs: how-full, with: {script: echo rotate; sleep 3}}
  - {name: nothing, type: noop, needs: how-full}
  - {name: report, type: shell, needs: [purge, rotate, nothing], with: {script: echo report}}
---
project: reports
name: weekly-board
description: Waits for the imports of the day
tasks:
  - {name: wait-for-imports, type: dependent, with: {all: [{workflow: etl/partner-import, window: today, onFailure: wait}]}}
  - {name: compose, type: shell, needs: wait-for-imports, with: {script: echo compose}}
`;
