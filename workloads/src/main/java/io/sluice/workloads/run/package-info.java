/** What all programs share: arguments, chains of jobs, numbers whose sums have no order. */
package io.sluice.workloads.run;
