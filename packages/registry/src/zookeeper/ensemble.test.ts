import { Ensemble, zookeeperEnsemble } from '../testing/ensemble.ts';
import { ensembleCases } from '../testing/ensemble-cases.ts';

ensembleCases(new Ensemble(zookeeperEnsemble));
