BEGIN TRANSACTION;
CREATE TABLE alert (id INTEGER PRIMARY KEY, at BIGINT NOT NULL, kind TEXT NOT NULL, workflow BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      run BIGINT, text TEXT NOT NULL, from_time BIGINT, to_time BIGINT);
CREATE TABLE assignment (run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, worker TEXT NOT NULL,
      worker_epoch BIGINT NOT NULL, take BIGINT NOT NULL, killed BIGINT NOT NULL, limited BIGINT NOT NULL,
      payload TEXT NOT NULL, queued_at BIGINT NOT NULL, assigned_at BIGINT NOT NULL, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
INSERT INTO "assignment" VALUES(7,0,-1,1,'local-73ff4888',1,4,0,0,'{"attempt":{"run":7,"task":0,"shard":-1,"number":1},"owner":"local-73ff4888","project":"default","workflow":"open","taskName":"first","type":"shell","with":{"script":"sleep 600"},"params":{},"secrets":[],"shardCount":1,"shardParameter":"","onLostContact":"kill"}',1794980787364,1794980787364);
CREATE TABLE attempt (run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL,
      worker TEXT, late BIGINT NOT NULL, queued_at BIGINT, assigned_at BIGINT, started_at BIGINT, ended_at BIGINT NOT NULL,
      exit_code BIGINT, cpu_time BIGINT, peak_memory BIGINT, error TEXT, log_tail TEXT, late_state TEXT, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
INSERT INTO "attempt" VALUES(5,0,-1,1,'success','local-73ff4888',0,1794980785563,1794980785563,1794980785631,1794980785816,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "attempt" VALUES(5,1,-1,1,'success','local-73ff4888',0,1794980785823,1794980785823,1794980785834,1794980785903,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "attempt" VALUES(6,0,-1,1,'failed','local-73ff4888',0,1794980786385,1794980786385,1794980786403,1794980786520,3,0,NULL,'exit code 3','',NULL);
CREATE TABLE audit (
      id BIGINT PRIMARY KEY, created_at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
      subject TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE bulk (id INTEGER PRIMARY KEY, action TEXT NOT NULL, tags TEXT, state TEXT NOT NULL, list TEXT, asked TEXT, below BIGINT, project TEXT, actor TEXT NOT NULL,
      reason TEXT, total BIGINT NOT NULL, told BIGINT NOT NULL, refused BIGINT NOT NULL, refusals TEXT NOT NULL,
      revision BIGINT NOT NULL, created_at BIGINT NOT NULL, ended_at BIGINT, ended_by TEXT);
CREATE TABLE bulk_run (bulk BIGINT NOT NULL, run BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT, PRIMARY KEY (bulk, run)) WITHOUT ROWID;
CREATE TABLE cluster_setting (name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL);
CREATE TABLE command (seq INTEGER PRIMARY KEY, priority BIGINT NOT NULL, workflow BIGINT NOT NULL, limited BIGINT NOT NULL,
      replay_of BIGINT, body TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE deadline (workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, due BIGINT NOT NULL);
CREATE TABLE dependency_on (workflow BIGINT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL, PRIMARY KEY (workflow, run, task, round)) WITHOUT ROWID;
CREATE TABLE dependency_wait (run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL, look_at BIGINT NOT NULL, PRIMARY KEY (run, task, round)) WITHOUT ROWID;
CREATE TABLE draft (
      workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, base BIGINT, revision BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL);
CREATE TABLE environment (
      name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL, changed_at BIGINT NOT NULL);
CREATE TABLE event (node TEXT NOT NULL, epoch BIGINT NOT NULL, n BIGINT NOT NULL, topic TEXT NOT NULL, subject BIGINT NOT NULL,
      revision BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (node, epoch, n)) WITHOUT ROWID;
CREATE TABLE fact (workflow BIGINT NOT NULL, business_time BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL,
      state TEXT NOT NULL, tasks TEXT NOT NULL, ended_at BIGINT NOT NULL, PRIMARY KEY (workflow, business_time, run, round)) WITHOUT ROWID;
INSERT INTO "fact" VALUES(1,1794980785503,5,1,'success','{"extract":"success","load":"success"}',1794980785906);
INSERT INTO "fact" VALUES(3,1794980786367,6,1,'failed','{"fail":"failed"}',1794980786520);
CREATE TABLE feed_writer (node TEXT NOT NULL, epoch BIGINT NOT NULL, newest BIGINT NOT NULL, PRIMARY KEY (node, epoch)) WITHOUT ROWID;
INSERT INTO "feed_writer" VALUES('',0,7);
INSERT INTO "feed_writer" VALUES('local-73ff4888',1,10);
CREATE TABLE history (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE idempotency (key TEXT PRIMARY KEY, answer TEXT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 7a9e7d5d-1cb3-4edd-9a77-1973f5485726','{"asked":"bb2c7310869201d00341ea3a27fb9552067155ba5655357a32d336f22e289883","answer":{"dryRun":true,"workflows":[{"project":"default","name":"old","version":null,"changed":true,"created":true,"diff":[]}]}}',1794980780200);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 d352a69c-47f5-4fba-bac0-7bd5aada5f79','{"asked":"e364e65464b8f550fe687d7c7c3e2e67127b50b7e9f91ad7be61c8ddbbdca46f","answer":{"dryRun":false,"workflows":[{"project":"default","name":"old","version":1,"changed":true,"created":true,"diff":[]}]}}',1794980780264);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 d27a8ee8-e185-4444-9458-e1cd2ab098eb','{"asked":"3a0b4a146befc31f737890e482b7521d6c07a61a71d7513d9462c5d8735afeeb","answer":{"dryRun":true,"workflows":[{"project":"default","name":"bad","version":null,"changed":true,"created":true,"diff":[]}]}}',1794980782650);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 1f6ac6b5-2da9-4b9e-b928-8852347142df','{"asked":"18d55989d81f38a926de4aa4a2f6c16acb45dd3aa4894609532ff8e27ee0c7ce","answer":{"dryRun":false,"workflows":[{"project":"default","name":"bad","version":1,"changed":true,"created":true,"diff":[]}]}}',1794980782890);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 c2c0b920-4324-40fa-8b53-a6261c41aa67','{"asked":"ae1f60691a1077aa2663d3a0fd3173aa90aa1cf729ebe41b24033305ec94d808","answer":{"dryRun":true,"workflows":[{"project":"default","name":"open","version":null,"changed":true,"created":true,"diff":[]}]}}',1794980783505);
INSERT INTO "idempotency" VALUES('publishWorkflows 0 5e86acf6-4b1c-4150-84bc-bf326b3552b8','{"asked":"8c72bf81a2a2aacce8eb2de2d832123ca3ba21bffe2427a262c1967d9e3219c3","answer":{"dryRun":false,"workflows":[{"project":"default","name":"open","version":1,"changed":true,"created":true,"diff":[]}]}}',1794980783652);
INSERT INTO "idempotency" VALUES('784ce93b-1b7a-4954-9a79-614a0f26b565','5',1794980785503);
INSERT INTO "idempotency" VALUES('89342b44-0271-4a1c-88d4-f7639b2a2e62','6',1794980786367);
INSERT INTO "idempotency" VALUES('fe764eaf-4ce9-4fe9-9832-4256300aee3b','7',1794980787327);
CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, run BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE limit_size (name TEXT PRIMARY KEY, slots BIGINT NOT NULL, held BIGINT NOT NULL);
CREATE TABLE limit_slot (name TEXT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      owner TEXT NOT NULL, PRIMARY KEY (name, run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE limit_turn (name TEXT NOT NULL, owner TEXT NOT NULL, turn BIGINT NOT NULL, PRIMARY KEY (name, owner)) WITHOUT ROWID;
CREATE TABLE limit_wait (name TEXT NOT NULL, owner TEXT NOT NULL, priority BIGINT NOT NULL, seq BIGINT NOT NULL, workflow BIGINT,
      run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      body TEXT NOT NULL, since BIGINT NOT NULL, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO "migration" VALUES(1,'first');
CREATE TABLE need_mute (
      id TEXT PRIMARY KEY, actor TEXT NOT NULL, at BIGINT NOT NULL, until BIGINT, seen BIGINT NOT NULL,
      reason TEXT NOT NULL);
CREATE TABLE node (
      id TEXT PRIMARY KEY, roles TEXT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL, fenced BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, info TEXT NOT NULL);
INSERT INTO "node" VALUES('local-73ff4888','master,api','local-73ff4888',1,0,12,1794980789383,1794980778158,'{}');
CREATE TABLE numbers (value INTEGER NOT NULL);
INSERT INTO "numbers" VALUES(7);
CREATE TABLE preference (token BIGINT PRIMARY KEY, body TEXT NOT NULL, saved_at BIGINT NOT NULL);
CREATE TABLE project (
      name TEXT PRIMARY KEY, params TEXT NOT NULL, revision BIGINT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "project" VALUES('default','{}',0,1794980780260);
CREATE TABLE ready (worker_group TEXT NOT NULL, run_priority BIGINT NOT NULL, run BIGINT NOT NULL, task_priority BIGINT NOT NULL,
      task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, target TEXT, avoid TEXT,
      limited BIGINT NOT NULL, payload TEXT NOT NULL, queued_at BIGINT NOT NULL, PRIMARY KEY (run, task, shard, number)) WITHOUT ROWID;
CREATE TABLE run (id INTEGER PRIMARY KEY, workflow BIGINT NOT NULL, version BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      kind TEXT NOT NULL, trigger_kind TEXT NOT NULL, state TEXT NOT NULL, priority BIGINT NOT NULL, owner TEXT,
      owner_epoch BIGINT, request TEXT NOT NULL, fields TEXT NOT NULL, revision BIGINT NOT NULL,
      business_time BIGINT NOT NULL, parent BIGINT, parent_task BIGINT, parent_round BIGINT, parent_element BIGINT,
      replay_of BIGINT, created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, standing BIGINT NOT NULL,
      tags TEXT, error TEXT, fingerprint TEXT, outputs TEXT);
INSERT INTO "run" VALUES(5,1,1,'default','old','normal','manual','success',2,NULL,NULL,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794980785503,"timezone":"UTC","dryRun":false,"depth":0,"id":5,"scope":{"kind":"all","tasks":[]}}','{"state":"success","since":1794980785904,"round":1,"roundKind":"start","roundStarted":1794980785512,"picked":[],"params":{}}',2,1794980785503,NULL,NULL,NULL,NULL,NULL,1794980785503,1794980785512,1794980785906,1,'["eu"]',NULL,NULL,NULL);
INSERT INTO "run" VALUES(6,3,1,'default','bad','normal','manual','failed',2,NULL,NULL,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794980786367,"timezone":"UTC","dryRun":false,"depth":0,"id":6,"scope":{"kind":"all","tasks":[]}}','{"state":"failed","since":1794980786520,"round":1,"roundKind":"start","roundStarted":1794980786372,"picked":[],"params":{}}',2,1794980786367,NULL,NULL,NULL,NULL,NULL,1794980786367,1794980786372,1794980786520,2,NULL,'exit code 3','exit code #',NULL);
INSERT INTO "run" VALUES(7,4,1,'default','open','normal','manual','running',2,'local-73ff4888',1,'{"project":"default","priority":"medium","onFailure":"continue","businessTime":1794980787327,"timezone":"UTC","dryRun":false,"depth":0,"id":7,"scope":{"kind":"all","tasks":[]}}','{"state":"running","since":1794980787338,"round":1,"roundKind":"start","roundStarted":1794980787338,"picked":[],"params":{}}',1,1794980787327,NULL,NULL,NULL,NULL,NULL,1794980787327,1794980787338,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE saved_view (project TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, badge BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL, PRIMARY KEY (project, name)) WITHOUT ROWID;
CREATE TABLE schedule (
      id BIGINT PRIMARY KEY, workflow BIGINT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, enabled BIGINT NOT NULL,
      version BIGINT NOT NULL, fired_until BIGINT NOT NULL, next_due BIGINT, holder TEXT, holder_epoch BIGINT,
      UNIQUE (workflow, name));
INSERT INTO "schedule" VALUES(2,1,'daily','{"name":"daily","cron":"0 0 3 * * ?","timezone":"UTC","misfire":{"policy":"fire-once","threshold":60000},"params":{}}',1,1,1794980780260,1795057200000,NULL,NULL);
CREATE TABLE shard_plan (workflow BIGINT NOT NULL, task TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (workflow, task)) WITHOUT ROWID;
CREATE TABLE task_run (run BIGINT NOT NULL, task BIGINT NOT NULL, state TEXT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL,
      attempt BIGINT NOT NULL DEFAULT 0, body TEXT NOT NULL, PRIMARY KEY (run, task)) WITHOUT ROWID;
INSERT INTO "task_run" VALUES(5,0,'success',1,1794980785817,1,'{"shards":[{"state":"success","attempt":1,"failures":0,"lost":0,"worker":"local-73ff4888","outputs":{"rows":"3"}}],"started":1794980785512,"outputs":{"rows":"3"}}');
INSERT INTO "task_run" VALUES(5,1,'success',1,1794980785904,1,'{"shards":[{"state":"success","attempt":1,"failures":0,"lost":0,"worker":"local-73ff4888"}],"started":1794980785817,"outputs":{}}');
INSERT INTO "task_run" VALUES(6,0,'failed',1,1794980786520,1,'{"shards":[{"state":"failed","attempt":1,"failures":1,"lost":0,"worker":"local-73ff4888","error":"exit code 3"}],"started":1794980786372,"reason":"exit code 3"}');
INSERT INTO "task_run" VALUES(7,0,'running',1,1794980787416,1,'{"shards":[{"state":"out","attempt":1,"failures":0,"lost":0,"since":1794980787416,"worker":"local-73ff4888"}],"started":1794980787338}');
CREATE TABLE tick (schedule BIGINT NOT NULL, due BIGINT NOT NULL, fired_at BIGINT NOT NULL, run BIGINT NOT NULL, PRIMARY KEY (schedule, due)) WITHOUT ROWID;
CREATE TABLE tick_skip (schedule BIGINT NOT NULL, first_due BIGINT NOT NULL, last_due BIGINT NOT NULL, count BIGINT NOT NULL,
      reason TEXT NOT NULL, recorded_at BIGINT NOT NULL, PRIMARY KEY (schedule, first_due)) WITHOUT ROWID;
CREATE TABLE token (
      id BIGINT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
      project TEXT, created_by TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT,
      last_used_at BIGINT);
CREATE TABLE trigger_due (workflow BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      state TEXT NOT NULL, business_time BIGINT NOT NULL, outputs TEXT NOT NULL, chain BIGINT NOT NULL,
      created_at BIGINT NOT NULL, PRIMARY KEY (workflow, run, round)) WITHOUT ROWID;
CREATE TABLE trigger_mark (workflow BIGINT NOT NULL, name TEXT NOT NULL, on_project TEXT NOT NULL, on_name TEXT NOT NULL, run BIGINT NOT NULL,
      outputs TEXT NOT NULL, marked_at BIGINT NOT NULL, PRIMARY KEY (workflow, name, on_project, on_name)) WITHOUT ROWID;
CREATE TABLE worker (
      id TEXT PRIMARY KEY, address TEXT NOT NULL, epoch BIGINT NOT NULL, lost BIGINT NOT NULL, take BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, slots BIGINT NOT NULL,
      groups TEXT NOT NULL, draining BIGINT NOT NULL, load TEXT NOT NULL, task_types TEXT NOT NULL);
INSERT INTO "worker" VALUES('local-73ff4888','',1,0,4,2,1794980788438,1794980778187,8,'["default"]',0,'{"cpu":0.999496475327291,"memory":0.13624576144157574,"running":1}','[]');
CREATE TABLE workflow (
      id BIGINT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, live BIGINT, deleted_at BIGINT,
      created_at BIGINT NOT NULL, UNIQUE (project, name));
INSERT INTO "workflow" VALUES(1,'default','old',1,NULL,1794980780260);
INSERT INTO "workflow" VALUES(3,'default','bad',1,NULL,1794980782856);
INSERT INTO "workflow" VALUES(4,'default','open',1,NULL,1794980783649);
CREATE TABLE workflow_need (kind TEXT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL, PRIMARY KEY (kind, project, name, workflow)) WITHOUT ROWID;
CREATE TABLE workflow_use (project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL, used_as TEXT NOT NULL, PRIMARY KEY (project, name, workflow, used_as)) WITHOUT ROWID;
CREATE TABLE workflow_version (workflow BIGINT NOT NULL, version BIGINT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL,
      note TEXT NOT NULL, author TEXT NOT NULL, origin TEXT NOT NULL, tags TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (workflow, version)) WITHOUT ROWID;
INSERT INTO "workflow_version" VALUES(1,1,'{"project":"default","name":"old","tags":["eu"],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"extract","type":"shell","needs":[],"with":{"script":"echo \"#{setValue(rows=3)}\""},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"},{"name":"load","type":"shell","needs":["extract"],"with":{"script":"echo ${rows}"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[{"name":"daily","cron":"0 0 3 * * ?","timezone":"UTC","misfire":{"policy":"fire-once","threshold":60000},"params":{}}]}','593f25633d6ca7e146935cb8b44899e6457275c9346cca58077dab66347aab44','name: old
tags: [eu]
schedules: [{ name: daily, cron: ''0 0 3 * * ?'', timezone: UTC }]
tasks:
  - { name: extract, type: shell, with: { script: ''echo "#{setValue(rows=3)}"'' } }
  - { name: load, type: shell, needs: extract, with: { script: ''echo ${rows}'' } }
','','admin','apply','["eu"]',1794980780260);
INSERT INTO "workflow_version" VALUES(3,1,'{"project":"default","name":"bad","tags":[],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"fail","type":"shell","needs":[],"with":{"script":"exit 3"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[]}','c0759e33d6d11ef0f3bc8df6bb3f8da1dda8030fc4fc6a7171338b4437f6772d','name: bad
tasks: [{ name: fail, type: shell, with: { script: ''exit 3'' } }]
','','admin','apply','[]',1794980782856);
INSERT INTO "workflow_version" VALUES(4,1,'{"project":"default","name":"open","tags":[],"priority":"medium","mode":"parallel","onFailure":"continue","workerGroup":"default","tenant":"default","timezone":"UTC","params":{},"triggers":[],"tasks":[{"name":"first","type":"shell","needs":[],"with":{"script":"sleep 600"},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"},{"name":"then","type":"noop","needs":["first"],"with":{},"params":{},"retries":{"limit":0,"delay":0,"backoff":1,"maxDelay":86400000,"on":"any"},"delay":0,"priority":"medium","disabled":false,"ignoreFailure":false,"onLostContact":"kill","trigger":"all-succeeded"}],"schedules":[]}','f6cc2ed8d17b47ff93162e5e30d20b2e4c99e31cc7b5531f6f4cbddd12106ff5','name: open
tasks:
  - { name: first, type: shell, with: { script: ''sleep 600'' } }
  - { name: then, type: noop, needs: first }
','','admin','apply','[]',1794980783649);
CREATE INDEX workflow_version_age ON workflow_version (created_at);
CREATE INDEX workflow_use_of ON workflow_use (workflow);
CREATE INDEX workflow_use_trigger ON workflow_use (project, name) WHERE used_as = 'trigger';
CREATE INDEX deadline_due ON deadline (due);
CREATE INDEX alert_age ON alert (at);
CREATE INDEX workflow_need_of ON workflow_need (workflow);
CREATE INDEX schedule_due ON schedule (next_due) WHERE enabled = 1 AND next_due IS NOT NULL;
CREATE INDEX tick_due ON tick (due, schedule);
CREATE INDEX tick_skip_due ON tick_skip (first_due, schedule);
CREATE INDEX tick_skip_age ON tick_skip (recorded_at);
CREATE INDEX command_order ON command (priority, seq);
CREATE INDEX command_limited ON command (workflow, seq) WHERE limited = 1;
CREATE INDEX command_replay ON command (replay_of, seq) WHERE replay_of IS NOT NULL;
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX run_by_workflow ON run (workflow, id);
CREATE INDEX run_open ON run (id) WHERE standing = 0;
CREATE INDEX run_bad ON run (id) WHERE standing = 2;
CREATE INDEX run_bad_of ON run (workflow, id) WHERE standing = 2;
CREATE INDEX run_owned ON run (owner) WHERE owner IS NOT NULL;
CREATE INDEX run_tagged ON run (id) WHERE tags IS NOT NULL;
CREATE INDEX run_child ON run (parent, parent_task, parent_element) WHERE parent IS NOT NULL;
CREATE INDEX run_replay ON run (replay_of, id) WHERE replay_of IS NOT NULL;
CREATE INDEX inbox_of_run ON inbox (run, seq);
CREATE INDEX ready_order ON ready (worker_group, run_priority, run, task_priority, task, shard) WHERE target IS NULL;
CREATE INDEX ready_target ON ready (target, worker_group, run_priority, run, task_priority, task, shard)
      WHERE target IS NOT NULL;
CREATE INDEX ready_avoid ON ready (avoid, worker_group) WHERE avoid IS NOT NULL;
CREATE INDEX assignment_of_worker ON assignment (worker, worker_epoch);
CREATE INDEX limit_slot_of ON limit_slot (run, task, shard, number);
CREATE INDEX limit_wait_order ON limit_wait (name, owner, priority, seq);
CREATE INDEX limit_wait_line ON limit_wait (workflow, seq) WHERE workflow IS NOT NULL;
CREATE INDEX dependency_wait_look ON dependency_wait (look_at);
CREATE INDEX dependency_on_wait ON dependency_on (run, task, round);
CREATE INDEX history_of ON history (kind, subject, seq);
CREATE INDEX bulk_open ON bulk (revision, id) WHERE state = 'running';
CREATE INDEX bulk_ended ON bulk (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX bulk_run_outcome ON bulk_run (bulk, outcome, run);
DELETE FROM "sqlite_sequence";
COMMIT;
