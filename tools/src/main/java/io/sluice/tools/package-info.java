/** The command line that needs neither Hadoop nor Spark: the doctor, and a node's service. */
package io.sluice.tools;
