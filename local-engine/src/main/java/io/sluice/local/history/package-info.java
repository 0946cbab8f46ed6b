/** What stock's history server and its tools read of a job that has ended. */
package io.sluice.local.history;
