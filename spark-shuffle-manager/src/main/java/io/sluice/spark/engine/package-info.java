/** What differs between releases of Spark. */
package io.sluice.spark.engine;
