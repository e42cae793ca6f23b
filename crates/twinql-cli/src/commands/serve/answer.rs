//! Bodies of requests, and what is answered where a request cannot be served.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

/// Why a request is not served: as text-embeddings-inference words it, with what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct Refused {
    /// What is wrong, and the remedy.
    error: String,
    /// `validation`, `unauthorised`, `overloaded`, `timeout`, `too_large`, `internal` or `not_found`.
    error_type: &'static str,
    #[serde(skip)]
    #[schema(ignore)]
    status: StatusCode,
}

impl Refused {
    fn new(status: StatusCode, error_type: &'static str, error: impl Into<String>) -> Refused {
        Refused { error: error.into(), error_type, status }
    }

    /// The request cannot be understood.
    pub(super) fn validation(error: impl Into<String>) -> Refused {
        Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", error)
    }

    pub(super) fn too_large(error: impl Into<String>) -> Refused {
        Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error)
    }

    pub(super) fn unauthorised() -> Refused {
        let why = "send the header `Authorization: Bearer TOKEN` with the token of --token";
        Refused::new(StatusCode::UNAUTHORIZED, "unauthorised", why)
    }

    pub(super) fn overloaded() -> Refused {
        let why = "as many requests as may wait are waiting; try again after the seconds in Retry-After";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, "overloaded", why)
    }

    pub(super) fn timeout(seconds: u64) -> Refused {
        let why = format!("not done within {seconds} s; send fewer pairs, or raise --time-limit");
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, "timeout", why)
    }

    pub(super) fn closing() -> Refused {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, "closing", "the server is shutting down")
    }

    pub(super) fn internal() -> Refused {
        let why = "an internal error; please report it with the request";
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", why)
    }

    pub(super) fn not_found(path: &str) -> Refused {
        let why = format!("nothing is at {path}; /openapi.json lists the paths");
        Refused::new(StatusCode::NOT_FOUND, "not_found", why)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = self.status;
        let mut response = (status, Json(self)).into_response();
        if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// A JSON body, refused in words where it is none.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Refused> {
        let read = Json::<T>::from_request(request, state).await;
        read.map(|Json(body)| Body(body)).map_err(|rejection| match &rejection {
            JsonRejection::BytesRejection(_) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Refused::too_large("the body is larger than --most-body; send fewer pairs at a time")
            }
            _ => Refused::validation(rejection.body_text()),
        })
    }
}
