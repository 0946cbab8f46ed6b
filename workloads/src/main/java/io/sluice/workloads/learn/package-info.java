/** Programs that go over the same data in rounds, each with a better model. */
package io.sluice.workloads.learn;
