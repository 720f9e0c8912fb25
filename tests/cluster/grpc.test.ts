import { test } from 'uvu';
import { clusterContract } from './cluster.contract.ts';
import { GrpcNodes } from './grpc-nodes.ts';

clusterContract(test, 'grpc', () => new GrpcNodes());

test.run();
