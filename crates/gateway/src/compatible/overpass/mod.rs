//! Overpass, `POST /api/interpreter`: a subset of Overpass QL over the operator's objects.

mod elements;
mod lexer;
mod ql;
#[cfg(test)]
mod tests;

use super::asker::{Asker, PresentedToken};
use super::element_id::ElementType;
use super::nearby::find_places;
use super::nearby_plan::{Limit, NearbyWant};
use super::parameters::{Parameters, is_parameter_name};
use super::problem::Problem;
use super::tagged_category::category_of;
use crate::answers::json;
use crate::charged_body::respond;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::read_body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use std::borrow::Cow;
use std::sync::Arc;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Answers a query.
pub(super) async fn interpret(
    State(gateway): State<Arc<Gateway>>,
    token: PresentedToken,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let answered = async {
        let asker = token.asker(&gateway, None)?;
        let body = read_body(&gateway, body).await?;
        let text = query_text(&body, parts.uri.query());
        let text = text.map_err(|sentence| asker.unsupported(sentence))?;
        let body = answer(&gateway, &asker, &text).await?;
        Ok(respond(&gateway, &asker.account, StatusCode::OK, body.into())?)
    };
    answered.await.unwrap_or_else(|problem| refuse(&gateway, &problem))
}

/// Returns the query: the field `data` of a form in body or query string, or else the whole body.
fn query_text<'a>(body: &'a [u8], parameters: Option<&'a str>) -> Result<Cow<'a, str>, String> {
    let body = std::str::from_utf8(body).map_err(|_| "the query is not UTF-8")?;
    if !body.is_empty() && !is_form(body) {
        return Ok(Cow::Borrowed(body));
    }
    let form = if body.is_empty() { parameters.unwrap_or("") } else { body };
    let fields = Parameters::parse(form, &["data"], &[])?;
    let data = fields.get("data").map(|data| Cow::Owned(data.to_owned()));
    data.ok_or_else(|| {
        "there is no query: send it as the body, or as the field `data` of a form".to_owned()
    })
}

/// Whether a body is a form: it begins with the name of a field. A query of Overpass QL has brackets or
/// spaces before its first `=`; clients send both kinds with the content type of a form.
fn is_form(body: &str) -> bool {
    body.split_once('=').is_some_and(|(name, _)| is_parameter_name(name))
}

/// Whether a body holds a query of the subset, for fuzzing.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn is_valid(body: &[u8]) -> bool {
    query_text(body, None).is_ok_and(|text| ql::parse(&text).is_ok())
}

async fn answer(gateway: &Arc<Gateway>, asker: &Asker, text: &str) -> Result<Vec<u8>, Problem> {
    let query = ql::parse(text).map_err(|error| asker.unsupported(error.to_string()))?;
    let want = |selection: &ql::Selection| {
        let category = category_of(gateway, &selection.key, &selection.value)?;
        let radius = selection.radius;
        Ok(NearbyWant { category: Some(category), radius, limit: Limit::All })
    };
    let wants: Result<Vec<NearbyWant>, Refusal> = query.selections.iter().map(want).collect();
    let wants = wants.map_err(|refusal| asker.refused(refusal))?;
    let lists = find_places(gateway, asker, query.here, &wants).await?;
    Ok(json(&elements::document(&query, lists)))
}

impl ql::Elements {
    /// Whether elements of a type are selected.
    fn includes(self, element: ElementType) -> bool {
        match self {
            ql::Elements::Nodes => element == ElementType::Node,
            ql::Elements::Ways => element == ElementType::Way,
            ql::Elements::All => true,
        }
    }
}

/// Builds an error page as Overpass does: HTML with the message in a paragraph.
pub(super) fn refuse(gateway: &Gateway, problem: &Problem) -> Response {
    problem.count(gateway);
    let message = problem.message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html lang=\"en\">\n<head><title>OSM3S \
         Response</title></head>\n<body>\n<p><strong style=\"color:#FF0000\">Error</strong>: \
         {message} </p>\n</body>\n</html>\n"
    );
    let mut response = (problem.kind.status(), [(CONTENT_TYPE, HTML)], body).into_response();
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
