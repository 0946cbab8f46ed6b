/** The exchange of map outputs inside one process. */
package io.sluice.local.exchange;
