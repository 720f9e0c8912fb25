import { test } from 'uvu';
import { clusterContract } from './cluster.contract.ts';

clusterContract(test, 'grpc');

test.run();
