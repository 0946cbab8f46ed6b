/** Job history for stock's history server and its tools. */
package io.sluice.local.history;
