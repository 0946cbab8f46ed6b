/**
 * The programs that the papers measured, as plain MapReduce that uses only stock Hadoop, and five
 * of them as Spark's RDDs; {@code docs/workloads.md} lists them. The same input gives the same
 * lines on every engine, with any number of tasks and however often a combiner runs.
 *
 * <p>{@code input} makes inputs from a seed. {@code text}, {@code graph}, {@code table} and {@code
 * record} read them; {@code learn} goes over the same data in rounds, each with a better model.
 * {@code run} is common to all.
 */
package io.sluice.workloads;
