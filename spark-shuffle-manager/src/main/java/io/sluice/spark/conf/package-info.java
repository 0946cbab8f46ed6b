/** The settings of a Spark application, and decisions that follow from them alone. */
package io.sluice.spark.conf;
