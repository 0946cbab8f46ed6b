/**
 * Stock Spark in processes of its own: programs of a released distribution, and the handles on
 * them. No class of Spark is loaded here.
 */
package io.sluice.it.spark;
