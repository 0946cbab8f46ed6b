/** What a Spark application may set. */
package io.sluice.spark.conf;
