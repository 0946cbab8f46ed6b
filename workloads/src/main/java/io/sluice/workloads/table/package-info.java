/** Programs over tables: joins and sums. */
package io.sluice.workloads.table;
