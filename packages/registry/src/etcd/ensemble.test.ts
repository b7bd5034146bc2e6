import { Ensemble, etcdEnsemble } from '../testing/ensemble.ts';
import { ensembleCases } from '../testing/ensemble-cases.ts';

ensembleCases(new Ensemble(etcdEnsemble));
