/** The service of a node, as Spark's driver and executors use it. */
package io.sluice.spark.service;
